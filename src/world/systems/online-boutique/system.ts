/** Online Boutique: Google's demo shop of eleven microservices. */
import { defineTwinSystem } from '#world/topology'

export const system = defineTwinSystem(import.meta.dirname)
