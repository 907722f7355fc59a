/** A process that writes spans to a socket as a pod does. Arguments: socket, spans per second, sender number. */
import { connect } from 'node:net'
import { createSpan } from './create-span.ts'

const BATCH_MS = 250
const [path, rate, senderNumber] = process.argv.slice(2)
const batchSize = (Number(rate) * BATCH_MS) / 1000
const socket = connect(path!)
let nextSpan = Number(senderNumber) * 10_000_000

setInterval(() => {
  const spans = Array.from({ length: batchSize }, () => createSpan(nextSpan++, Date.now()))
  socket.write(`${JSON.stringify({ spans })}\n`)
}, BATCH_MS)
process.once('disconnect', () => process.exit())
