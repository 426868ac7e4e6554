// SPDX-License-Identifier: Apache-2.0
// A program with the build information of one that Go made.
__attribute__((section(".go.buildinfo"), used)) static const char info[64] =
    "\xff Go buildinf:\x08\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x0dgo1.22.3 X:ab";

int main(void)
{
    return 0;
}
