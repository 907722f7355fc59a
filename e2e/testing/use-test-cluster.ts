/** Provides a cluster for the tests of one file, and the versions of kubectl to test with. */
import { afterAll, beforeAll } from 'vitest'
import type { Kubectl } from '#lab/tools'
import { kubectls } from '../tools.ts'
import type { Shell } from './shell.ts'
import { type Credentials, createTestCluster, type TestCluster } from './test-cluster.ts'

/** The minor version of the server. */
const SERVER_MINOR = 32

/** Returns 20 for kubectl 1.20. */
export const minorOf = ({ version }: Kubectl): number => Number(version.split('.')[1])

const distance = (kubectl: Kubectl): number => Math.abs(minorOf(kubectl) - SERVER_MINOR)

const nearestKubectl = (): Kubectl => {
  const [, ...others] = kubectls()
  return others.toSorted((a, b) => distance(a) - distance(b))[0]!
}

/** The versions for tests of commands whose requests or output depend on the version: the oldest, and `nearestKubectl`. */
export const thoroughKubectls = (): Kubectl[] => [kubectls()[0]!, nearestKubectl()]

/**
 * The versions for tests of the server: the one nearest to the version of the server. `every-version.test.ts` runs everyday
 * commands with others, and `npm run proof kubectl` runs these tests with the oldest, too.
 */
export const serverKubectls = (): Kubectl[] =>
  process.env.REMEDIUM_KUBECTLS === 'all' ? thoroughKubectls() : [nearestKubectl()]

export interface Lab {
  readonly current: TestCluster
  /** A shell in a separate namespace, named after the topic and the version. */
  open(kubectl: Kubectl, topic: string, credentials?: Credentials): Promise<Shell>
}

/** Starts a cluster before the tests of this file, and closes it after them. */
export const useTestCluster = (): Lab => {
  let cluster: TestCluster | undefined
  beforeAll(async () => {
    cluster = await createTestCluster()
  })
  afterAll(() => cluster?.close())
  return {
    get current() {
      return cluster!
    },
    open: (kubectl, topic, credentials) =>
      cluster!.shell(kubectl, `${topic}-${minorOf(kubectl)}`, credentials),
  }
}
