export default function Page() {
  return (
    <main>
      <h1>Hello from Next.js</h1>
      <p>Edit app/page.jsx; `npm run dev` shows changes as you save.</p>
    </main>
  )
}
