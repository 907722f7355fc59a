/** Frees the memory that the kernel keeps for a control group whose processes have ended. */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readGroupFile } from './cgroup-files.ts'
import type { CgroupHierarchies } from './cgroup-hierarchies.ts'

const MAX_ROUNDS = 5

/** Returns false if the kernel did not free all that was requested, or if the group does not exist. */
const request = (file: string, value: string): Promise<boolean> =>
  writeFile(file, value).then(
    () => true,
    () => false,
  )

export const createCgroupMemory = ({ version, folderOf }: CgroupHierarchies) => ({
  /**
   * Drops what the processes of the group and of groups below it brought into the caches of the kernel: contents of files, and names that
   * they looked up. Memory that is in use cannot be dropped.
   */
  async dropCaches(path: string): Promise<void> {
    const folder = join(folderOf('memory'), path)
    if (version === 1) {
      await request(join(folder, 'memory.force_empty'), '0')
      return
    }
    const file = join(folder, 'memory.reclaim')
    // Kernels before 5.19 free memory when the limit is lowered.
    if (!existsSync(file)) await request(join(folder, 'memory.high'), '0')
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const bytes = Number(readGroupFile(join(folder, 'memory.current')) ?? 0)
      if (bytes === 0 || !(await request(file, String(bytes)))) return
    }
  },
})
