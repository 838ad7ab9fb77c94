/** @type {import('next').NextConfig} */
export default {
  // `npm run dev` is looked at through a shared port, under a name that only the server knows; without this there is
  // no hot reload. Who may open a shared port is decided there.
  allowedDevOrigins: ['**.*'],
}
