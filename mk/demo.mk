# SPDX-License-Identifier: Apache-2.0

demo: all $(BUILD)/examples/sum_serial $(BUILD)/examples/sum_parallel ## find a remote-memory problem and prove its fix, in the emulated machine if need be
	$(Q)mk/demo $(BUILD)/demo
.PHONY: demo
