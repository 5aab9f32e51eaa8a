// Reads the files of a ledger as Go's checksum database reads its own: GO111MODULE=off GOPATH=/usr/share/gocode
// go run ledger.go FOLDER VKEY. Every tile must lead to the signed root, every entry to its tile, and every smaller
// tree to the larger one.
package main

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type files struct{ folder string }

func (f files) Height() int { return 8 }

func (f files) SaveTiles([]tlog.Tile, [][]byte) {}

// The newer specification leaves the height out, and names data `entries`.
func (f files) read(tile tlog.Tile) ([]byte, error) {
	path := strings.Replace(tile.Path(), "tile/8/", "tile/", 1)
	path = strings.Replace(path, "tile/data/", "tile/entries/", 1)
	return os.ReadFile(filepath.Join(f.folder, path))
}

func (f files) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var all [][]byte
	for _, tile := range tiles {
		bytes, err := f.read(tile)
		if err != nil {
			return nil, err
		}
		all = append(all, bytes)
	}
	return all, nil
}

func must(err error) {
	if err != nil {
		fmt.Println("refused:", err)
		os.Exit(1)
	}
}

func main() {
	f := files{os.Args[1]}
	verifier, err := note.NewVerifier(os.Args[2])
	must(err)
	text, err := os.ReadFile(filepath.Join(f.folder, "checkpoint"))
	must(err)
	signed, err := note.Open(text, note.VerifierList(verifier))
	must(err)
	lines := strings.Split(signed.Text, "\n")
	if lines[0] != verifier.Name() || len(lines) != 4 {
		must(fmt.Errorf("not a checkpoint"))
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	must(err)
	root, err := base64.StdEncoding.DecodeString(lines[2])
	must(err)
	tree := tlog.Tree{N: size}
	copy(tree.Hash[:], root)
	// Checks each tile that it reads against the root.
	reader := tlog.TileHashReader(tree, f)
	whole, err := tlog.TreeHash(size, reader)
	must(err)
	if whole != tree.Hash {
		must(fmt.Errorf("another root"))
	}
	var index int64
	for index < size {
		width := size - index
		if width > 256 {
			width = 256
		}
		bundle, err := f.read(tlog.Tile{H: 8, L: -1, N: index / 256, W: int(width)})
		must(err)
		for ; width > 0; width-- {
			length := int(binary.BigEndian.Uint16(bundle))
			entry := bundle[2 : 2+length]
			bundle = bundle[2+length:]
			proof, err := tlog.ProveRecord(size, index, reader)
			must(err)
			must(tlog.CheckRecord(proof, size, tree.Hash, index, tlog.RecordHash(entry)))
			index++
			older, err := tlog.TreeHash(index, reader)
			must(err)
			prefix, err := tlog.ProveTree(size, index, reader)
			must(err)
			must(tlog.CheckTree(prefix, size, tree.Hash, index, older))
		}
		if len(bundle) > 0 {
			must(fmt.Errorf("a bundle is too long"))
		}
	}
	fmt.Println("right:", size)
}
