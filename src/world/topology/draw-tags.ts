/** Draws the tags of bad releases from a secret. */
import { createRandom, deriveSecret, shuffle } from '#kit'
import type { Release, ServiceTopology, Topology } from '#spec'

/** Permutes the tags of the bad releases. Good releases keep theirs. */
export const drawTags = <T>(
  releases: Readonly<Record<string, T>>,
  isGood: (release: T) => boolean,
  secret: string,
): Readonly<Record<string, T>> => {
  const entries = Object.entries(releases)
  const bad = entries.filter(([, release]) => !isGood(release))
  const tags = shuffle(
    bad.map(([tag]) => tag),
    createRandom(secret),
  )
  return Object.fromEntries([
    ...entries.filter(([, release]) => isGood(release)),
    ...bad.map(([, release], index) => [tags[index]!, release] as const),
  ])
}

const isGoodRelease = ({ defects = [] }: Release): boolean => defects.length === 0

const withDrawnTags = (service: ServiceTopology, secret: string): ServiceTopology => {
  const { deploy } = service
  if (deploy.releases === undefined) return service
  return { ...service, deploy: { ...deploy, releases: drawTags(deploy.releases, isGoodRelease, secret) } }
}

/**
 * Draws the tags of each service separately, so that the tags of one service reveal nothing about those of
 * another.
 */
export const drawReleaseTags = (topology: Topology, secret: string): Topology => ({
  ...topology,
  services: Object.fromEntries(
    Object.entries(topology.services).map(([name, service]) => [
      name,
      withDrawnTags(service, deriveSecret(secret, name)),
    ]),
  ),
})
