/**
 * `rabbitmqctl list_queues | list_users | status | change_password user password`: controls the broker of its
 * pod.
 */
import { connect } from 'node:net'
import { toControlSocketPath } from '#world/twin/stores'

const COLUMNS: Record<string, readonly string[]> = {
  list_queues: ['name', 'messages'],
  list_users: ['user', 'tags'],
}

const send = (path: string, words: readonly string[]): Promise<{ answer?: any; error?: string }> =>
  new Promise((resolve, reject) => {
    const socket = connect(path)
    let text = ''
    socket.once('connect', () => socket.write(`${JSON.stringify(words)}\n`))
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.once('error', () => reject(new Error('unable to connect to node rabbit@localhost: nodedown')))
    socket.once('end', () =>
      text === '' ? reject(new Error('the broker closed the connection')) : resolve(JSON.parse(text)),
    )
  })

const toTable = (rows: readonly Record<string, unknown>[], columns: readonly string[]): string =>
  [columns.join('\t'), ...rows.map((row) => columns.map((column) => String(row[column])).join('\t'))].join(
    '\n',
  )

const format = (command: string, columns: readonly string[], answer: any): string => {
  if (typeof answer === 'string') return answer
  if (Array.isArray(answer)) return toTable(answer, columns.length > 0 ? columns : (COLUMNS[command] ?? []))
  return Object.entries(answer)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

const run = async (): Promise<void> => {
  const words = process.argv.slice(2).filter((word) => word !== '-q' && word !== '--quiet')
  const [command, ...rest] = words
  if (command === undefined) throw new Error('usage: rabbitmqctl <command> [arguments]')
  const folder = process.env.RABBITMQ_HOME ?? '/var/lib/rabbitmq'
  const { answer, error } = await send(toControlSocketPath(folder), words)
  if (error !== undefined) throw new Error(error)
  console.log(format(command, Array.isArray(answer) ? rest : [], answer))
}

run().catch((error: Error) => {
  console.error(`Error: ${error.message}`)
  process.exitCode = 1
})
