// Consumes with @platformatic/kafka.
// Its stream belongs to a group. What the stream calls to fetch is called here, as it does.
import { Consumer } from '@platformatic/kafka'
import { SHORT_MS, all, consume } from './consuming.js'

// Node has it from 22 on, which the client is for.
Promise.withResolvers ??= function () {
  const made = {}
  made.promise = new this((resolve, reject) => Object.assign(made, { resolve, reject }))
  return made
}

const NODE = 1

async function fetch (consumer, ask) {
  const metadata = await consumer.metadata({ topics: all })
  const offsets = ask()
  const names = new Map([...offsets.keys()].map(topic => [metadata.topics.get(topic).id, topic]))
  const { responses } = await consumer.fetch({
    node: NODE,
    topics: [...names].map(([topicId, topic]) => ({
      topicId,
      partitions: [
        {
          partition: 0,
          fetchOffset: offsets.get(topic),
          partitionMaxBytes: 1 << 20,
          currentLeaderEpoch: -1,
          lastFetchedEpoch: -1
        }
      ]
    }))
  })
  return responses.flatMap(({ topicId, partitions }) => {
    const last = partitions.flatMap(one => one.records ?? []).at(-1)
    if (last === undefined) return []
    return [[names.get(topicId), last.firstOffset + BigInt(last.lastOffsetDelta) + 1n]]
  })
}

await consume({
  open: (broker, clientId) => new Consumer({
    clientId,
    groupId: 'lockstep',
    bootstrapBrokers: [broker],
    autocommit: false,
    maxWaitTime: 100,
    retryDelay: SHORT_MS
  }),
  fetch,
  close: consumer => consumer.close(true)
})
