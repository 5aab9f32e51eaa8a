// Checks trees and proofs with Go's library of transparency logs: GO111MODULE=off GOPATH=/usr/share/gocode
// go run tree.go LEAVES. The entry of a leaf is its index, eight bytes. Each line in is
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

type stored []tlog.Hash

func (s stored) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	var all []tlog.Hash
	for _, index := range indexes {
		all = append(all, s[index])
	}
	return all, nil
}

func entry(index int64) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(index))
}

func check(all stored, asked question) error {
	root, err := tlog.TreeHash(asked.Size, all)
	if err != nil {
		return err
	}
	if root != asked.Root {
		return fmt.Errorf("another root")
	}
	leaf := tlog.RecordHash(entry(asked.Index))
	if err := tlog.CheckRecord(asked.Path, asked.Size, root, asked.Index, leaf); err != nil {
		return err
	}
	older, err := tlog.TreeHash(asked.Old, all)
	if err != nil {
		return err
	}
	return tlog.CheckTree(asked.Prefix, asked.Size, root, asked.Old, older)
}

func main() {
	leaves, err := strconv.ParseInt(os.Args[1], 10, 64)
	if err != nil {
		panic(err)
	}
	var all stored
	for index := int64(0); index < leaves; index++ {
		hashes, err := tlog.StoredHashes(index, entry(index), all)
		if err != nil {
			panic(err)
		}
		all = append(all, hashes...)
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
