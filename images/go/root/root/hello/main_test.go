package main

import "testing"

func TestGreetsByName(t *testing.T) {
	if got := greeting("Go"); got != "Hello from Go" {
		t.Errorf("greeting: %q", got)
	}
}
