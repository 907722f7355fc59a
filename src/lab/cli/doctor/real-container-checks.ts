/** Checks the requirements of real containers: user, programs, kernel, and a state folder that can be read. */

import { findExecutable } from '#kit'
import { listClusterFolders, listDrafts, stateFolder } from '#platform/engines/folders'
import {
  installCommand,
  kernelFeatures,
  missingPermissions,
  REQUIRED_PROGRAMS,
  type RequiredProgram,
} from '#platform/engines/local/machine'
import { toRemediumError } from '#spec'
import { absent, type Finding, firstLine, present } from './finding.ts'

const checkRoot = (): Finding => {
  const lacking = missingPermissions()
  return lacking === undefined
    ? present('root', 'this user is root')
    : absent('root', `${lacking.message} ${lacking.hint}`)
}

const checkProgram = (needed: RequiredProgram): Finding => {
  const path = findExecutable(needed.program)
  return path === undefined
    ? absent(needed.program, `For ${needed.requiredFor}; on Debian: ${installCommand([needed])}`)
    : present(needed.program, `${firstLine(path, ...needed.versionArguments)} (${path})`)
}

/** Reports leftovers of killed clusters, but not as a missing requirement: the next run removes them. */
const checkState = (): Finding => {
  const state = stateFolder()
  try {
    const clusters = listClusterFolders(state)
    const leftovers = clusters.filter(({ alive }) => !alive).length + listDrafts(state).length
    return leftovers > 0
      ? present('state folder', `${state}, leftovers: ${leftovers}; "remedium cluster prune" removes them`)
      : present('state folder', `${state}, running clusters: ${clusters.length}, no leftovers`)
  } catch (error) {
    const { message, hint } = toRemediumError(error)
    return absent('state folder', [message, hint].join(' '))
  }
}

export const realContainerChecks = async (): Promise<Finding[]> => [
  checkRoot(),
  ...REQUIRED_PROGRAMS.map(checkProgram),
  ...(await kernelFeatures()).map((feature) =>
    feature.present ? present(feature.name, feature.detail) : absent(feature.name, feature.detail),
  ),
  checkState(),
]
