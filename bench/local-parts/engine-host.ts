/** A process that runs only the local engine, and executes the orders of its parent. Its argument is the number of servers. */
import { createLocalEngine, type LocalCluster } from '#platform/engines/local'
import { defineSmallServers } from './small-servers.ts'

const engine = createLocalEngine({ onError: (where, error) => console.error(where, error) })
let cluster: LocalCluster | undefined

const orders: Record<string, () => Promise<unknown>> = {
  async start() {
    cluster = await engine.provision()
    return announce(cluster)
  },
  async startServers() {
    cluster = await engine.provision(defineSmallServers(Number(process.argv[2])))
    return announce(cluster)
  },
  reset: () => cluster!.reset(),
  close: () => cluster!.close(),
}

const announce = ({ server, token, certificateAuthority }: LocalCluster): object => ({
  url: server,
  token,
  certificateAuthority,
})

// The parent has failed or is done: leave nothing behind.
process.once('disconnect', async () => {
  await cluster?.close()
  process.exit()
})
process.on('message', async (order: string) => {
  const started = performance.now()
  try {
    const value = await orders[order]!()
    process.send!({ value, milliseconds: performance.now() - started })
  } catch (error) {
    process.send!({ error: String(error) })
  }
})
