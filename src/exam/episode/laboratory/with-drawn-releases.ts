/** Replaces the images of a system with images whose tags are drawn from the secret of an incident. */
import { deriveSecret } from '#kit'
import { createSystemView } from '#world/system-view'
import type { Equipment } from './equipment.ts'

/** The equipment for one incident: containers that start from now on run the images that the secret draws. */
export const withDrawnReleases = (equipment: Equipment, secret: string | undefined): Equipment => {
  const { cluster, system } = equipment
  if (secret === undefined || system.drawReleases === undefined || cluster.setImages === undefined)
    return equipment
  const drawn = { ...system, ...system.drawReleases(deriveSecret(secret, 'releases')) }
  cluster.setImages(drawn.images)
  return { ...equipment, system: drawn, view: createSystemView(drawn) }
}
