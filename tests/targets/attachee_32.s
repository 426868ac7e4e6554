# SPDX-License-Identifier: Apache-2.0
# A program of 32 bits without a C library, for as --32: says "ready"; each line on its input fills 4 MiB of its .bss,
# then it says "touch done"; at the end of the input it ends.
    .set BYTES, 4 << 20
    .data                   # its mapping tells where the .bss is, as in a program of C
    .long 1
    .bss
    .type late, @object
    .size late, BYTES
late:
    .skip BYTES
    .lcomm line, 64
    .text
ready:
    .ascii "ready\n"
done:
    .ascii "touch done\n"
end:
    .globl _start
    .type _start, @function
_start:
    mov $4, %eax            # write
    mov $1, %ebx
    mov $ready, %ecx
    mov $done - ready, %edx
    int $0x80
next:
    mov $3, %eax            # read
    xor %ebx, %ebx
    mov $line, %ecx
    mov $64, %edx
    int $0x80
    test %eax, %eax
    jle leave
    call fill
    mov $4, %eax
    mov $1, %ebx
    mov $done, %ecx
    mov $end - done, %edx
    int $0x80
    jmp next
leave:
    mov $1, %eax            # exit
    xor %ebx, %ebx
    int $0x80
    .size _start, . - _start
    .type fill, @function
fill:
    mov $late, %edi
    mov $BYTES / 4, %ecx
    mov $1, %eax
    rep stosl
    ret
    .size fill, . - fill
    .section .note.GNU-stack, "", @progbits
