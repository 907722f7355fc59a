/** A process that runs only the local engine, and executes commands from its parent. Argument: the number of servers. */
import { createLocalEngine, type LocalCluster } from '#platform/engines/local'
import { defineSmallServers } from './small-servers.ts'

const engine = createLocalEngine({ onError: (where, error) => console.error(where, error) })
let cluster: LocalCluster | undefined

const commands: Record<string, () => Promise<unknown>> = {
  async start() {
    cluster = await engine.provision()
    return toServerAccess(cluster)
  },
  async startServers() {
    cluster = await engine.provision(defineSmallServers(Number(process.argv[2])))
    return toServerAccess(cluster)
  },
  reset: () => cluster!.reset(),
  close: () => cluster!.close(),
}

const toServerAccess = ({ server, token, certificateAuthority }: LocalCluster): object => ({
  url: server,
  token,
  certificateAuthority,
})

// The parent has finished or crashed.
process.once('disconnect', async () => {
  await cluster?.close()
  process.exit()
})
process.on('message', async (command: string) => {
  const started = performance.now()
  try {
    const value = await commands[command]!()
    process.send!({ value, milliseconds: performance.now() - started })
  } catch (error) {
    process.send!({ error: String(error) })
  }
})
