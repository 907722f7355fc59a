/** The resources of an operating-system process, for a twin in a container. */
import type { ProgramRandom, ProgramResources } from '#spec'
import { processCpu } from './process-cpu.ts'
import { processFiles } from './process-files.ts'
import { createProcessMemory } from './process-memory.ts'
import { processTime } from './process-time.ts'

const random: ProgramRandom = {
  next: () => Math.random(),
  bytes: (count) => process.getBuiltinModule('node:crypto').randomBytes(count),
}

export const createProcessResources = (): ProgramResources => ({
  time: processTime,
  cpu: processCpu,
  memory: createProcessMemory(),
  files: processFiles,
  random,
})
