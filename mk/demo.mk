# SPDX-License-Identifier: Apache-2.0

demo: all examples ## find a remote-memory problem and prove its cure, in the emulated machine if need be
	$(Q)mk/demo $(BUILD)/demo
.PHONY: demo
