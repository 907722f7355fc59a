/** Online Boutique: the shop of eleven services that Google shows microservices with. */
import { defineTwinSystem } from '../../topology/index.ts'

export const system = defineTwinSystem(import.meta.dirname)
