/** A process that writes spans to a socket as a pod does. Arguments: socket, spans per second, number of the sender. */
import { connect } from 'node:net'
import { createSpan } from './create-span.ts'

const BATCH_MS = 250
const [path, rate, number] = process.argv.slice(2)
const size = (Number(rate) * BATCH_MS) / 1000
const socket = connect(path!)
let sent = Number(number) * 10_000_000

setInterval(() => {
  const spans = Array.from({ length: size }, () => createSpan(sent++, Date.now()))
  socket.write(`${JSON.stringify({ spans })}\n`)
}, BATCH_MS)
process.once('disconnect', () => process.exit())
