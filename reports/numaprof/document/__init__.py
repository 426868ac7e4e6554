# SPDX-License-Identifier: Apache-2.0
"""Everything a report shows, as plain data: what --json and --csv write and the HTML page draws. docs/json.md."""
