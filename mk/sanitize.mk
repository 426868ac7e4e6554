# SPDX-License-Identifier: Apache-2.0
# make SANITIZE=address,undefined sanitized: the program with the compiler's checks built in. The library that goes into
# other programs stays as it is: those are not built for them.

ifdef SANITIZE
sanitized: $(BUILD)/numaprof $(BUILD)/libnumaprof-preload.so
.PHONY: sanitized

$(BUILD)/libnumaprof-preload.so: build/libnumaprof-preload.so
	$(Q)ln -sf ../libnumaprof-preload.so $@
endif
