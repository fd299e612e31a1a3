// Consumes with @platformatic/kafka; what it reads on standard input is in ../__init__.py.
// Its stream belongs to a group. What the stream calls to fetch is called here, as it does.
import { createInterface } from 'node:readline'
import { setTimeout as passed } from 'node:timers/promises'
import { Consumer } from '@platformatic/kafka'

// Node has it from 22 on, which the client is for.
Promise.withResolvers ??= function () {
  const made = {}
  made.promise = new this((resolve, reject) => Object.assign(made, { resolve, reject }))
  return made
}

const NODE = 1
const SHORT_MS = 10
const all = process.argv.slice(2)
let current

async function consume (of) {
  const { consumer, assigned, paused, offsets } = of
  while (of === current) {
    const topics = assigned.filter(topic => !paused.has(topic))
    if (topics.length === 0) {
      await passed(SHORT_MS)
      continue
    }
    try {
      const metadata = await consumer.metadata({ topics: all })
      const asked = new Map(topics.map(topic => [topic, offsets.get(topic)]))
      const names = new Map(topics.map(topic => [metadata.topics.get(topic).id, topic]))
      const { responses } = await consumer.fetch({
        node: NODE,
        topics: [...names].map(([topicId, topic]) => ({
          topicId,
          partitions: [
            {
              partition: 0,
              fetchOffset: asked.get(topic),
              partitionMaxBytes: 1 << 20,
              currentLeaderEpoch: -1,
              lastFetchedEpoch: -1
            }
          ]
        }))
      })
      for (const { topicId, partitions } of responses) {
        const topic = names.get(topicId)
        const batches = partitions.flatMap(one => one.records ?? [])
        const ends = batches.map(one => one.firstOffset + BigInt(one.lastOffsetDelta) + 1n)
        if (ends.length > 0 && offsets.get(topic) === asked.get(topic)) {
          offsets.set(topic, ends.at(-1))
        }
      }
    } catch (error) {
      console.error(error.message, ...(error.errors ?? []).map(one => one.message))
      await passed(SHORT_MS)
    }
  }
}

function start (port, clientId) {
  current?.consumer.close(true).catch(() => {})
  const consumer = new Consumer({
    clientId,
    groupId: 'lockstep',
    bootstrapBrokers: [`127.0.0.1:${port}`],
    autocommit: false,
    maxWaitTime: 100,
    retryDelay: SHORT_MS
  })
  const offsets = new Map(all.map(topic => [topic, 0n]))
  current = { consumer, assigned: [...all], paused: new Set(), offsets }
  consume(current)
}

const commands = {
  pause: topic => current.paused.add(topic),
  resume: topic => current.paused.delete(topic),
  seek: (topic, offset) => current.offsets.set(topic, BigInt(offset)),
  drop: topic => current.assigned.splice(current.assigned.indexOf(topic), 1),
  take: topic => {
    current.offsets.set(topic, 0n)
    current.assigned.push(topic)
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const [command, ...given] = line.trim().split(' ')
  if (command === 'start') {
    start(...given)
  } else {
    commands[command](...given)
    console.log('done')
  }
}
process.exit(0)
