// Consumes with KafkaJS.
// Its consumer belongs to a group. What that calls to fetch is called here, as it does.
import Cluster from 'kafkajs/src/cluster/index.js'
import { createLogger } from 'kafkajs/src/loggers/index.js'
import LoggerConsole from 'kafkajs/src/loggers/console.js'
import socketFactory from 'kafkajs/src/network/socketFactory.js'
import { SHORT_MS, all, consume } from './consuming.js'

const NODE = 1
const NOTHING = 0

async function fetch (cluster, ask) {
  await cluster.connect()
  await cluster.addMultipleTargetTopics(all)
  await cluster.refreshMetadataIfNecessary()
  const broker = await cluster.findBroker({ nodeId: NODE })
  try {
    const { responses } = await broker.fetch({
      maxWaitTime: 100,
      minBytes: 1,
      maxBytes: 1 << 20,
      isolationLevel: 0,
      topics: [...ask()].map(([topic, offset]) => ({
        topic,
        partitions: [{ partition: 0, fetchOffset: offset.toString(), maxBytes: 1 << 20 }]
      }))
    })
    return responses.flatMap(({ topicName, partitions }) => {
      const last = partitions.flatMap(one => one.messages).at(-1)
      return last === undefined ? [] : [[topicName, BigInt(last.offset) + 1n]]
    })
  } catch (error) {
    if (error.name === 'KafkaJSConnectionClosedError') cluster.removeBroker(error)
    throw error
  }
}

await consume({
  open: (broker, clientId) => new Cluster({
    logger: createLogger({ level: NOTHING, logCreator: LoggerConsole }),
    socketFactory: socketFactory(),
    brokers: [broker],
    clientId,
    connectionTimeout: 1000,
    enforceRequestTimeout: false,
    metadataMaxAge: 300000,
    maxInFlightRequests: 1,
    retry: { initialRetryTime: SHORT_MS, retries: 1 }
  }),
  fetch,
  close: cluster => cluster.disconnect()
})
