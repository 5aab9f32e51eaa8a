document.getElementById("stats").textContent = "counted, with your consent";
