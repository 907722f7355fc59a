/** `xenoncli xenon ping` checks whether the xenon of this pod answers; `xenoncli raft status` prints its state. */
import { processTime } from '#world/twin/process'
import { runXenoncli } from '#world/twin/tool-cores'
import { exitWith } from './exit/exit-with.ts'
import { requestLine } from './xenon-host/request-line.ts'

void runXenoncli(process.argv.slice(2), { time: processTime, requestLine, environment: process.env }).then(
  ({ code, out, err }) => exitWith(code, out, err),
)
