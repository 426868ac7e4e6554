# SPDX-License-Identifier: Apache-2.0
"""The HTML page: the document through templates, charts by Vega-Lite, all of it in one file. docs/page.md."""
