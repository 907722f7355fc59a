/** The program `redis-cli` in a simulated container. */
import type { SimulatedProgram } from '#spec'
import { runRedisCli } from '#world/twin/tool-cores'
import { openSimulatedRedisConnection } from '../stores/simulated-redis.ts'
import { connectToStore } from '../stores/store-link.ts'

/** The CPU time that Node.js takes to start and to send a command. */
const CPU_MS = 60

export const redisProgram: SimulatedProgram = async (host) => {
  await host.cpu.use(CPU_MS)
  const code = await runRedisCli(host.args, {
    open: async (address) =>
      openSimulatedRedisConnection(await connectToStore(host, { address: async () => address }), undefined),
    readLines: () => host.input.split('\n'),
    print: host.write,
    printError: host.writeError,
    isTerminal: false,
    environment: host.environment,
  })
  host.exit(code)
}
