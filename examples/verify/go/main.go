// A client for "minikafka verify --client-command": franz-go; see docs/any-client.md.
//
//	go build -o client . && minikafka verify --seconds 10 --client-command ./client
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

type settings struct {
	Properties map[string]string `json:"properties"`
	MaxBytes   int32             `json:"message_max_bytes"`
}

type record struct {
	ID         int64       `json:"id"`
	Topic      string      `json:"topic"`
	Partition  int32       `json:"partition"`
	Key, Value []byte      // encoding/json decodes base64 into bytes
	Headers    [][2]string `json:"headers"`
	Timestamp  int64       `json:"timestamp"`
}

func options(s settings) []kgo.Opt {
	p := s.Properties
	timeout, _ := strconv.Atoi(p["delivery.timeout.ms"])
	codecs := map[string]kgo.CompressionCodec{"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(),
		"snappy": kgo.SnappyCompression(), "lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression()}
	acks := map[string]kgo.Acks{"0": kgo.NoAck(), "1": kgo.LeaderAck(), "all": kgo.AllISRAcks()}
	chosen := []kgo.Opt{kgo.SeedBrokers(strings.Split(p["bootstrap.servers"], ",")...), kgo.ClientID(p["client.id"]),
		kgo.RequiredAcks(acks[p["acks"]]), kgo.ProducerBatchCompression(codecs[p["compression.type"]]),
		kgo.ProducerBatchMaxBytes(s.MaxBytes), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.RecordDeliveryTimeout(time.Duration(timeout) * time.Millisecond)}
	if p["enable.idempotence"] == "false" {
		chosen = append(chosen, kgo.DisableIdempotentWrite())
	}
	return chosen
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	input := json.NewDecoder(bufio.NewReaderSize(os.Stdin, 1<<20))
	var s settings
	check(input.Decode(&s))
	client, err := kgo.NewClient(options(s)...)
	check(err)
	output := json.NewEncoder(os.Stdout)
	for input.More() {
		var r record
		check(input.Decode(&r))
		sent := &kgo.Record{Topic: r.Topic, Partition: r.Partition, Key: r.Key, Value: r.Value,
			Timestamp: time.UnixMilli(r.Timestamp)}
		for _, header := range r.Headers {
			var value []byte
			check(json.Unmarshal([]byte(`"`+header[1]+`"`), &value))
			sent.Headers = append(sent.Headers, kgo.RecordHeader{Key: header[0], Value: value})
		}
		// franz-go calls these functions one after another, so that lines do not mix.
		client.Produce(context.Background(), sent, func(done *kgo.Record, err error) {
			outcome := map[string]any{"id": r.ID, "partition": done.Partition, "offset": done.Offset}
			if err != nil {
				definite := errors.Is(err, kerr.MessageTooLarge) || errors.Is(err, kerr.TopicAuthorizationFailed)
				outcome = map[string]any{"id": r.ID, "error": err.Error(), "definite": definite}
			}
			check(output.Encode(outcome))
		})
	}
	check(client.Flush(context.Background()))
}
