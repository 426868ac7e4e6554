// SPDX-License-Identifier: Apache-2.0
// Only in the program of `make static`: the preload library as it was built (profiler/install/preload_file.c puts it to
// use).
#ifndef PRELOAD_IMAGE // mk/static.mk says which file
#define PRELOAD_IMAGE "build/libnumaprof-preload.so"
#endif

__asm__(".section .rodata\n"
        ".balign 16\n"
        ".global preload_image, preload_image_end\n"
        "preload_image:\n"
        ".incbin \"" PRELOAD_IMAGE "\"\n"
        "preload_image_end:\n"
        ".byte 0\n"
        ".section .note.GNU-stack,\"\",%progbits\n");
