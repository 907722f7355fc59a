/** The program of a process that holds nothing but the local engine: it does what its starter says. */
import { createLocalEngine, type LocalCluster } from '../../src/engines/local/index.ts'
import { fiftyPods } from './fifty-pods.ts'

const engine = createLocalEngine({ onError: (where, error) => console.error(where, error) })
let cluster: LocalCluster | undefined

const orders: Record<string, () => Promise<unknown>> = {
  async start() {
    cluster = await engine.provision()
    return announce(cluster)
  },
  async startFifty() {
    cluster = await engine.provision(fiftyPods)
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

// Whoever gave the orders has failed, or is done: nothing stays.
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
