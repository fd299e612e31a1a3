// Consumes with franz-go; what it reads on standard input is in ../__init__.py.
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

func start(port, name string, topics []string) *kgo.Client {
	partitions := map[string]map[int32]kgo.Offset{}
	for _, topic := range topics {
		partitions[topic] = map[int32]kgo.Offset{0: kgo.NewOffset().AtStart()}
	}
	client, err := kgo.NewClient(
		kgo.SeedBrokers("127.0.0.1:"+port),
		kgo.ClientID(name),
		kgo.ConsumePartitions(partitions),
		kgo.FetchMaxWait(100*time.Millisecond),
		kgo.RetryBackoffFn(func(int) time.Duration { return 10 * time.Millisecond }),
		kgo.MetadataMinAge(20*time.Millisecond),
	)
	if err != nil {
		panic(err)
	}
	go func() {
		for !client.PollFetches(context.Background()).IsClientClosed() {
		}
	}()
	return client
}

func main() {
	topics := os.Args[1:]
	var client *kgo.Client
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		switch words[0] {
		case "start":
			if client != nil {
				go client.Close()
			}
			client = start(words[1], words[2], topics)
		case "pause":
			client.PauseFetchTopics(words[1])
		case "resume":
			client.ResumeFetchTopics(words[1])
		case "seek":
			offset, _ := strconv.ParseInt(words[2], 10, 64)
			client.SetOffsets(map[string]map[int32]kgo.EpochOffset{
				words[1]: {0: {Epoch: -1, Offset: offset}},
			})
		case "drop":
			client.RemoveConsumePartitions(map[string][]int32{words[1]: {0}})
		case "take":
			client.AddConsumePartitions(map[string]map[int32]kgo.Offset{
				words[1]: {0: kgo.NewOffset().AtStart()},
			})
		}
		if words[0] != "start" {
			fmt.Println("done")
		}
	}
}
