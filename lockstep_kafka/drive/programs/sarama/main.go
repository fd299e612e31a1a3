// Consumes with sarama; what it reads on standard input is in ../__init__.py.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/IBM/sarama"
)

type consumer struct {
	sarama.Consumer
	parts map[string]sarama.PartitionConsumer
}

func start(port, name string) *consumer {
	config := sarama.NewConfig()
	config.ClientID = name
	config.Version = sarama.MaxVersion
	config.Consumer.MaxWaitTime = 100 * time.Millisecond
	config.Consumer.Retry.Backoff = 10 * time.Millisecond
	config.Metadata.Retry.Backoff = 10 * time.Millisecond
	made, err := sarama.NewConsumer([]string{"127.0.0.1:" + port}, config)
	if err != nil {
		panic(err)
	}
	of := &consumer{made, map[string]sarama.PartitionConsumer{}}
	for _, topic := range os.Args[1:] {
		of.take(topic, 0)
	}
	return of
}

func (of *consumer) take(topic string, offset int64) {
	part, err := of.ConsumePartition(topic, 0, offset)
	for ; err != nil; part, err = of.ConsumePartition(topic, 0, offset) {
		time.Sleep(10 * time.Millisecond)
	}
	of.parts[topic] = part
	go func() {
		for range part.Messages() {
		}
	}()
}

func (of *consumer) drop(topic string) {
	if part := of.parts[topic]; part != nil {
		part.Close()
		delete(of.parts, topic)
	}
}

func main() {
	var current *consumer
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		only := map[string][]int32{words[1]: {0}}
		switch words[0] {
		case "start":
			if current != nil {
				go current.Close()
			}
			current = start(words[1], words[2])
			continue
		case "seek":
			offset, _ := strconv.ParseInt(words[2], 10, 64)
			current.drop(words[1])
			current.take(words[1], offset)
		case "pause":
			current.Pause(only)
		case "resume":
			current.Resume(only)
		case "drop":
			current.drop(words[1])
		case "take":
			if current.parts[words[1]] == nil {
				current.take(words[1], 0)
			}
		}
		fmt.Println("done")
	}
}
