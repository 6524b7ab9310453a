package main

import (
	"context"
	"errors"

	"marque/games/catalog"
	"marque/games/engine"
	"marque/games/text/locale"
)

type engineCommand struct{}

// Run answers requests of the engine protocol until its input ends.
func (engineCommand) Run(ctx context.Context, std streams) error {
	sentences, err := locale.Load()
	if err != nil {
		return err
	}
	err = engine.New(catalog.Games, sentences.Speaker(nil, "en").Plain().Say).Run(ctx, std.in, std.out)
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
