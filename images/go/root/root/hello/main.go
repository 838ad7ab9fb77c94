package main

import (
	"fmt"
	"runtime"
)

func main() {
	fmt.Println(greeting(runtime.Version()))
}

func greeting(name string) string {
	return "Hello from " + name
}
