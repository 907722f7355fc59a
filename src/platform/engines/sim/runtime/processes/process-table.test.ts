/** Runs the contract of ProgramProcesses against the processes of a simulated container. */
import { createRandom, createVirtualClock, runVirtually, sleep } from '#kit'
import { createContainerResources, createVolume } from '#platform/engines/sim/hosts'
import { describeProgramProcesses } from '../testing/program-processes-contract.ts'
import { testPrograms } from '../testing/test-programs.ts'
import { findProgram } from './find-program.ts'
import { createProcessOutput } from './process-output.ts'
import { createProcessTable } from './process-table.ts'

describeProgramProcesses('a simulated container', () => {
  const clock = createVirtualClock()
  const mounts = [{ path: '/', volume: createVolume({ kind: 'disk' }) }]
  const resources = createContainerResources({
    clock,
    random: createRandom('processes'),
    programBytes: 2 ** 20,
    mounts,
    onOutOfMemory() {},
  })
  let output = ''
  let exitCode: number | undefined
  const collect = createProcessOutput((text) => {
    output += text
  })
  const table = createProcessTable({
    clock,
    resources,
    environment: { PATH: '/bin' },
    folder: '/',
    output: collect,
    errorOutput: collect,
    findProgram: (name, folder) => findProgram({}, testPrograms, name, folder),
    startNetwork() {
      throw new Error('the programs of the contract use no network')
    },
    exportSpan() {},
    onError(error) {
      throw error
    },
    onMainEnd(code) {
      exitCode = code
      resources.close()
    },
  })
  return {
    runMain: async (program) => table.startMain({ program, command: ['main'], args: [], isDirect: true }),
    output: () => output,
    exitCode: () => exitCode,
    wait: (seconds) => sleep(clock, seconds * 1000),
    run: (work) => runVirtually(clock, work),
  }
})
