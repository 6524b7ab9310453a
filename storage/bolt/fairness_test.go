package bolt

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What was stored while there was one version of fairness reads as that version, and is written as
// it was: tables that go on draw as they did.
func TestDetailsOfTheFirstFairness(t *testing.T) {
	stored := []byte("\x01" + `{"s":{"Seats":2,"Options":[{"Key":"opening","Value":"standard"}]},"r":1,"k":"0102030000000000000000000000000000000000000000000000000000000000",` +
		`"j":["1297650000000000001","1297650000000000002"],"f":true,"l":[1,0]}`)
	d, err := decodeDetail(1, stored)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"1297650000000000001", "1297650000000000002"}, d.Inputs); diff != "" || d.Fairness != 0 {
		t.Errorf("version %d, inputs:\n%s", d.Fairness, diff)
	}
	if again, err := encodeDetail(d); err != nil || !bytes.Equal(again, stored) {
		t.Errorf("written again it is\n%s\nwas\n%s (%v)", again, stored, err)
	}
	d.Fairness, d.Inputs = 2, []string{"open 1", "join 2", "start 2"}
	b, err := encodeDetail(d)
	if err != nil {
		t.Fatal(err)
	}
	if back, err := decodeDetail(1, b); err != nil || cmp.Diff(d, back) != "" {
		t.Errorf("the second version does not read back (%v):\n%s", err, cmp.Diff(d, back))
	}
}
