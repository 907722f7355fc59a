/** What pods have left on the disks of nodes, through volumes of type hostPath: a copy, and how to return to it. */
import { existsSync, mkdirSync } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { nodeDisk } from '../../../kube/index.ts'
import { removeTree, runChecked } from '../../../linux/index.ts'
import { isSameTree } from './same-tree.ts'

export interface NodeDisks {
  /** In place: folders that running pods have mounted stay the same ones. Gives the nodes whose disk held something else. */
  restore(): Promise<string[]>
}

interface Keeping {
  /** Of the cluster. */
  folder: string
  nodes: readonly string[]
  /** Environment of programs that are started for the cluster. */
  marker: Readonly<Record<string, string>>
}

const isFolder = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => undefined))?.isDirectory() === true

/** Leaves of `folder` only those folders that `copy` has too: nothing else, and no link, is in the way of the copy. */
const clear = async (folder: string, copy: string): Promise<void> => {
  for (const { name } of await readdir(folder, { withFileTypes: true })) {
    const [own, kept] = [join(folder, name), join(copy, name)]
    if ((await isFolder(own)) && (await isFolder(kept))) await clear(own, kept)
    else await removeTree(own)
  }
}

export const keepNodeDisks = async ({ folder, nodes, marker }: Keeping): Promise<NodeDisks> => {
  const copyOf = (node: string): string => join(folder, 'baseline', 'nodes', node)
  const copyTree = (from: string, to: string): Promise<unknown> =>
    runChecked('cp', ['-a', '--', `${from}/.`, to], { environment: marker })
  for (const node of nodes) {
    const disk = nodeDisk(folder, node)
    if (!existsSync(disk)) continue
    mkdirSync(copyOf(node), { recursive: true })
    await copyTree(disk, copyOf(node))
  }
  return {
    async restore() {
      const found: string[] = []
      for (const node of nodes) {
        const [disk, copy] = [nodeDisk(folder, node), copyOf(node)]
        if (await isSameTree(copy, disk)) continue
        found.push(node)
        mkdirSync(disk, { recursive: true })
        await clear(disk, copy)
        if (existsSync(copy)) await copyTree(copy, disk)
      }
      return found
    },
  }
}
