// Consumes with kafka-go; what it reads on standard input is in ../__init__.py.
// A reader has one topic: one that is paused or dropped is closed.
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/segmentio/kafka-go"
)

func start(port, name, topic string) *kafka.Reader {
	reader := kafka.NewReader(kafka.ReaderConfig{
		Brokers:        []string{"127.0.0.1:" + port},
		Dialer:         &kafka.Dialer{ClientID: name, Timeout: 10 * time.Second},
		Topic:          topic,
		MaxWait:        100 * time.Millisecond,
		ReadBackoffMin: 10 * time.Millisecond,
		ReadBackoffMax: 20 * time.Millisecond,
	})
	go func() {
		for {
			if _, err := reader.ReadMessage(context.Background()); err != nil {
				return
			}
		}
	}()
	return reader
}

func main() {
	var port, name string
	readers := map[string]*kafka.Reader{}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		switch words[0] {
		case "start":
			for _, reader := range readers {
				go reader.Close()
			}
			port, name = words[1], words[2]
			for _, topic := range os.Args[1:] {
				readers[topic] = start(port, name, topic)
			}
			continue
		case "seek":
			offset, _ := strconv.ParseInt(words[2], 10, 64)
			readers[words[1]].SetOffset(offset)
		case "pause", "drop":
			go readers[words[1]].Close()
			delete(readers, words[1])
		case "resume", "take":
			if readers[words[1]] == nil {
				readers[words[1]] = start(port, name, words[1])
			}
		}
		fmt.Println("done")
	}
}
