// Writes a record to `minikafka dev`, and reads it again: go run .
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

func main() {
	servers := os.Getenv("MINIKAFKA_BOOTSTRAP_SERVERS")
	if servers == "" {
		servers = "127.0.0.1:19092"
	}
	topic := "hello-from-go"
	client, err := kgo.NewClient(
		kgo.SeedBrokers(strings.Split(servers, ",")...),
		kgo.AllowAutoTopicCreation(),
		kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
	)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()

	record := &kgo.Record{Topic: topic, Value: []byte("hello")}
	if err := client.ProduceSync(ctx, record).FirstErr(); err != nil {
		log.Fatal(err)
	}
	fetches := client.PollFetches(ctx)
	if errs := fetches.Errors(); len(errs) > 0 {
		log.Fatal(errs[0].Err)
	}
	for _, each := range fetches.Records() {
		fmt.Printf("%s-%d@%d: %s\n", each.Topic, each.Partition, each.Offset, each.Value)
	}
}
