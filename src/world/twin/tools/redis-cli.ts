/**
 * `redis-cli [-h host] [-p port] [-a password] [-n database] [command...]`; reads commands from stdin by
 * default.
 */
import { createInterface } from 'node:readline'
import { openRedisConnection } from '#world/twin/stores'
import { runRedisCli } from '#world/twin/tool-cores'

void runRedisCli(process.argv.slice(2), {
  open: (address) => openRedisConnection({ address: async () => address }),
  readLines: () => createInterface({ input: process.stdin }),
  print: (text) => process.stdout.write(text),
  printError: (text) => process.stderr.write(text),
  isTerminal: process.stdout.isTTY,
  environment: process.env,
}).then((code) => {
  process.exitCode = code
})
