package freebooter

import (
	"testing"

	"marque/games/gametest"
	"marque/games/learned"
)

func TestEvaluateIsTheModel(t *testing.T) {
	gametest.EvaluateIsTheModel(t, Game, func(seats int) *learned.Model {
		if seats > 2 {
			return learned.Parse(manyWeights, featureNames)
		}
		return learned.Parse(weights, featureNames)
	})
}
