/** What live containers need of this machine: user, programs, kernel, and a state folder without left-overs. */
import {
  installCommand,
  kernelFeatures,
  listClusterFolders,
  listHalfMade,
  missingRights,
  NEEDED_PROGRAMS,
  type NeededProgram,
  stateFolder,
} from '../engines/local/machine/index.ts'
import { findExecutable } from '../kit/index.ts'
import { toRemediumError } from '../spec/index.ts'
import { absent, type Finding, firstLine, present } from './finding.ts'

const checkRoot = (): Finding => {
  const lacking = missingRights()
  return lacking === undefined
    ? present('root', 'this user is root')
    : absent('root', `${lacking.message} ${lacking.hint}`)
}

const checkProgram = (needed: NeededProgram): Finding => {
  const path = findExecutable(needed.program)
  return path === undefined
    ? absent(needed.program, `For ${needed.neededFor}; on Debian: ${installCommand([needed])}`)
    : present(needed.program, `${firstLine(path, ...needed.versionArguments)} (${path})`)
}

const checkState = (): Finding => {
  const state = stateFolder()
  try {
    const clusters = listClusterFolders(state)
    const left = clusters.filter(({ alive }) => !alive).length + listHalfMade(state).length
    return left > 0
      ? absent('state folder', `${state} holds ${left} left over: run "remedium cluster prune".`)
      : present('state folder', `${state}, clusters that live: ${clusters.length}, left over: 0`)
  } catch (error) {
    const { message, hint } = toRemediumError(error)
    return absent('state folder', [message, hint].join(' '))
  }
}

export const liveContainerChecks = async (): Promise<Finding[]> => [
  checkRoot(),
  ...NEEDED_PROGRAMS.map(checkProgram),
  ...(await kernelFeatures()).map((feature) =>
    feature.present ? present(feature.name, feature.detail) : absent(feature.name, feature.detail),
  ),
  checkState(),
]
