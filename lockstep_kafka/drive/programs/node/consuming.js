// What the programs in JavaScript have in common; what they read on standard input is in ../__init__.py.
import { createInterface } from 'node:readline'
import { setTimeout as passed } from 'node:timers/promises'

export const SHORT_MS = 10
export const all = process.argv.slice(2)
let current

async function go ({ fetch }, of) {
  const { consumer, assigned, paused, offsets } = of
  while (of === current) {
    const topics = assigned.filter(topic => !paused.has(topic))
    if (topics.length === 0) {
      await passed(SHORT_MS)
      continue
    }
    try {
      let asked
      const ask = () => { return asked = new Map(topics.map(topic => [topic, offsets.get(topic)])) }
      for (const [topic, end] of await fetch(consumer, ask)) {
        if (offsets.get(topic) === asked.get(topic)) offsets.set(topic, end)
      }
    } catch (error) {
      console.error(error.message, ...(error.errors ?? []).map(one => one.message))
      await passed(SHORT_MS)
    }
  }
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

// Do what standard input says, for ever. A client has `open(broker, clientId)`, which makes a consumer,
// `fetch(consumer, ask)`, which asks for the offset of each topic last of all, and gives back
// [topic, offset after its records] where there are some, and `close(consumer)`.
export async function consume (client) {
  for await (const line of createInterface({ input: process.stdin })) {
    const [command, ...given] = line.trim().split(' ')
    if (command !== 'start') {
      commands[command](...given)
      console.log('done')
      continue
    }
    const [port, clientId] = given
    current && client.close(current.consumer).catch(() => {})
    const consumer = client.open(`127.0.0.1:${port}`, clientId)
    const offsets = new Map(all.map(topic => [topic, 0n]))
    current = { consumer, assigned: [...all], paused: new Set(), offsets }
    go(client, current)
  }
  process.exit(0)
}
