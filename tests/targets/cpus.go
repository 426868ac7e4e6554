// SPDX-License-Identifier: Apache-2.0
// Prints how many CPUs Go's runtime found, which asks the kernel without the C library. With C: linked dynamically.
package main

// #include <stdlib.h>
import "C"

import (
	"fmt"
	"runtime"
)

func main() {
	C.free(C.malloc(16))
	fmt.Println(runtime.NumCPU())
}
