// Checks trees and proofs with Go's library of transparency logs: GO111MODULE=off GOPATH=/usr/share/gocode
// go run tree.go LEAVES [INDEX ...]. The entry of a leaf is its index, eight bytes. With indexes, they alone have such entries
// and all other leaves are of eight bytes 0xff: most subtrees are equal then, and a large tree takes no time. Each line in is
// {"size", "root", "index", "path", "old", "prefix"} with hashes in base64; a line out is `right` or the reason. The library
// has another root for a tree of no leaves, so sizes begin with 1.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/mod/sumdb/tlog"
)

type question struct {
	Size, Index, Old int64
	Root             tlog.Hash
	Path, Prefix     []tlog.Hash
}

type tree interface {
	tlog.HashReader
	entry(index int64) []byte
}

func numbered(index int64) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(index))
}

type stored []tlog.Hash

func (s stored) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	var all []tlog.Hash
	for _, index := range indexes {
		all = append(all, s[index])
	}
	return all, nil
}

func (s stored) entry(index int64) []byte {
	return numbered(index)
}

// A tree whose leaves are equal but for some.
type sparse struct {
	others []int64
	// Subtrees of equal leaves, by their heights.
	equal []tlog.Hash
}

func newSparse(others []int64) sparse {
	s := sparse{others: others}
	hash := tlog.RecordHash(numbered(-1))
	for height := 0; height < 40; height++ {
		s.equal = append(s.equal, hash)
		hash = tlog.NodeHash(hash, hash)
	}
	return s
}

func (s sparse) entry(index int64) []byte {
	for _, other := range s.others {
		if other == index {
			return numbered(index)
		}
	}
	return numbered(-1)
}

func (s sparse) hash(height int, index int64) tlog.Hash {
	for _, other := range s.others {
		if other>>height != index {
			continue
		}
		if height == 0 {
			return tlog.RecordHash(numbered(index))
		}
		return tlog.NodeHash(s.hash(height-1, 2*index), s.hash(height-1, 2*index+1))
	}
	return s.equal[height]
}

func (s sparse) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	var all []tlog.Hash
	for _, index := range indexes {
		height, place := tlog.SplitStoredHashIndex(index)
		all = append(all, s.hash(height, place))
	}
	return all, nil
}

func check(all tree, asked question) error {
	root, err := tlog.TreeHash(asked.Size, all)
	if err != nil {
		return err
	}
	if root != asked.Root {
		return fmt.Errorf("another root")
	}
	leaf := tlog.RecordHash(all.entry(asked.Index))
	if err := tlog.CheckRecord(asked.Path, asked.Size, root, asked.Index, leaf); err != nil {
		return err
	}
	older, err := tlog.TreeHash(asked.Old, all)
	if err != nil {
		return err
	}
	return tlog.CheckTree(asked.Prefix, asked.Size, root, asked.Old, older)
}

func number(text string) int64 {
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic(err)
	}
	return number
}

func built(leaves int64) stored {
	var all stored
	for index := int64(0); index < leaves; index++ {
		hashes, err := tlog.StoredHashes(index, numbered(index), all)
		if err != nil {
			panic(err)
		}
		all = append(all, hashes...)
	}
	return all
}

func main() {
	var all tree
	if len(os.Args) == 2 {
		all = built(number(os.Args[1]))
	} else {
		var others []int64
		for _, other := range os.Args[2:] {
			others = append(others, number(other))
		}
		all = newSparse(others)
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		if err := check(all, asked); err != nil {
			fmt.Println("refused:", err)
		} else {
			fmt.Println("right")
		}
	}
}
