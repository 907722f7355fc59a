/** The replication statements `CHANGE MASTER TO`, `START SLAVE`, `STOP SLAVE` and `RESET SLAVE`. */
import { Follower } from './follower.ts'
import type { MysqlServer } from './mysql-server.ts'
import { isSign, isWord, type Token } from './tokens.ts'

const NO_CHANGES = { affected: 0, lastId: 0 }

const readOptions = (tokens: readonly Token[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    tokens.flatMap((token, at) =>
      isSign(tokens[at + 1], '=') ? [[token.text.toUpperCase(), tokens[at + 2]?.text ?? '']] : [],
    ),
  )

const changeLeader = async (server: MysqlServer, tokens: readonly Token[]): Promise<void> => {
  const options = readOptions(tokens)
  const wasRunning = server.follower?.running === true
  await server.follower?.stop()
  server.follower ??= new Follower(server)
  const { leader } = server.follower
  server.follower.leader = {
    host: options.MASTER_HOST ?? leader.host,
    port: Number(options.MASTER_PORT ?? leader.port),
    user: options.MASTER_USER ?? leader.user,
    password: options.MASTER_PASSWORD ?? leader.password,
  }
  if (wasRunning) server.follower.start()
}

/** Returns undefined for other statements. */
export const runReplicationStatement = async (
  server: MysqlServer,
  tokens: readonly Token[],
  requirePrivilege: () => void,
): Promise<typeof NO_CHANGES | undefined> => {
  const isSlave = isWord(tokens[1], 'SLAVE', 'REPLICA')
  const isChange = isWord(tokens[0], 'CHANGE') && isWord(tokens[1], 'MASTER')
  if (!isChange && !(isSlave && isWord(tokens[0], 'START', 'STOP', 'RESET'))) return undefined
  requirePrivilege()
  if (isChange) await changeLeader(server, tokens)
  else if (isWord(tokens[0], 'START')) server.follower?.start()
  else {
    await server.follower?.stop()
    if (isWord(tokens[0], 'RESET')) server.follower = undefined
  }
  return NO_CHANGES
}
