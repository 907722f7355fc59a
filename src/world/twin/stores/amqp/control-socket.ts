/**
 * The control socket for `rabbitmqctl` in the broker's folder: one request and one response per connection, a
 * line each.
 */
import { unlinkSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { type BrokerStatus, runControlCommand } from './control-commands.ts'
import { toControlSocketPath } from './control-socket-path.ts'

const execute = async (status: BrokerStatus, line: string): Promise<string> => {
  let words: readonly string[]
  try {
    words = JSON.parse(line)
  } catch (error) {
    return JSON.stringify({ error: (error as Error).message })
  }
  return JSON.stringify(await runControlCommand(status, words))
}

/** Rejects if the socket cannot be created. */
export const openControlSocket = (folder: string, status: BrokerStatus): Promise<Server> => {
  const path = toControlSocketPath(folder)
  try {
    unlinkSync(path)
  } catch {
    // No socket of an earlier process exists.
  }
  const server = createServer((socket) => {
    let text = ''
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      text += chunk
      const end = text.indexOf('\n')
      if (end < 0) return
      void execute(status, text.slice(0, end)).then((line) => socket.end(`${line}\n`))
    })
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => resolve(server))
  })
}
